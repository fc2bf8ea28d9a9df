// Package output takes what a component left in out/tables into the store, as
// the platform does: files, directories of slices and their manifests become
// loads of tables.
//
// It promises that nothing is loaded while any manifest is wrong, that tables
// are loaded in the order of their file names, and that no file is ever held in
// memory. A table is loaded whole or not at all; those before one that fails
// stay.
//
// Some settings are checked and then mean nothing, because there is neither a
// warehouse nor a file storage behind: distribution_key, tags,
// deduplication_strategy, unload_strategy, manifest_type, and lengths, defaults
// and backends of types. Rows chosen by delete_where or its older form are not
// deleted, which is told as a warning. Files below out/files are not looked at.
package output
