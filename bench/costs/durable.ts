/** PostgreSQL as `initdb` sets it up: durable, and with whole pages in the log after a checkpoint. It counts its statements. */
export const durable = ["fsync=on", "full_page_writes=on", "shared_preload_libraries=pg_stat_statements"];
