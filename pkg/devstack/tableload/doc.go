// Package tableload loads what a component wrote to out/tables into the store, as the
// platform does: from files, directories of slices and their manifests.
//
// Nothing is loaded while any manifest is wrong. Tables are loaded in the order of
// their file names. No file is held in memory. A table is loaded completely or not
// at all; if one fails, those before it stay.
//
// Some settings are only checked, because there is no warehouse and no file
// storage: distribution_key, tags, deduplication_strategy, unload_strategy,
// manifest_type, and the lengths, defaults and backends of types. Rows chosen by
// delete_where or its older form are not deleted; a warning says so. Files in
// out/files are ignored.
package tableload
