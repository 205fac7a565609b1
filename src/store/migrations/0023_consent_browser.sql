-- A sign-in in a pop-up belongs to the browser in which a person has gone on from our own page: the hash of its cookie.
alter table connects add column browser_hash text;

-- What a name of the operator's network leads to is not for whoever reads the deliveries.
update deliveries set problem = 'This address cannot be used: its name is not known, or it is not a public address.'
 where problem like '% resolves to %';
