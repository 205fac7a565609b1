-- Who holds the place of an Idempotency-Key while its call runs, and until when unless it is renewed. A place of before has neither.
alter table idempotent_answers add column holder text;
alter table idempotent_answers add column lease_until text;
create index idempotent_answers_held on idempotent_answers (holder) where lease_until is not null;
