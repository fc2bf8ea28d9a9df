// Package tableload loads the tables that a component wrote to out/tables into the store,
// as the platform does: from files, directories of slices and their manifests.
//
// All manifests are checked before the first table is loaded. Tables are loaded in the
// order of their file names. No file is held in memory. A table is loaded completely or
// not at all. If a table fails, the tables before it stay loaded.
//
// Some settings are checked but have no effect, because there is no warehouse and no file
// storage: distribution_key, tags, deduplication_strategy, unload_strategy,
// manifest_type, and the lengths, defaults and backends of types. Rows chosen by
// delete_where or its older form are not deleted, and a warning reports it.
package tableload
