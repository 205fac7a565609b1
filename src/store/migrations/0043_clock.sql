-- One row: the time at which a server last saw the clock. A clock that runs ahead of it by more than a day has jumped: until this is
-- confirmed, expiry follows a time that is `ahead_milliseconds` earlier. `jumped_at` is when the clock jumped, by itself.
create table clock_seen (
  id text primary key,
  seen_at text not null,
  ahead_milliseconds bigint not null,
  jumped_at text
) /* sqlite: without rowid */;
