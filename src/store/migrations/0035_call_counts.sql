-- Our own rate limits, as the nodes of a PostgreSQL share them. `subject` is a hash; `ends_at` is in milliseconds since 1970.
create table call_counts (
  policy text not null,
  subject text not null,
  used integer not null,
  ends_at bigint not null,
  primary key (policy, subject)
);

-- Wrong passwords by account and source, as the nodes of a PostgreSQL share them. `key` is a hash; times are in milliseconds since 1970.
create table sign_in_attempts (
  key text not null primary key,
  failures double precision not null,
  at bigint not null,
  until bigint not null
);
