-- Stored responses with secrets are emptied after an hour. Without this index, that reads every response of a day.
create index idempotent_answers_secrets on idempotent_answers (created_at) where sealed = 1 and body is not null;
