-- What the database user of the operator's command may do: everything inside its own schema that
-- `goldsmith` does, migrations included; nothing about users, other schemas or the server.
--
-- {schema}  the database's name, as in goldsmith
-- {user}    the account, as in 'goldsmith-operator'@'localhost'; CREATE USER makes it
--
--   sed -e 's/{schema}/goldsmith/g' -e "s/{user}/'goldsmith-operator'@'localhost'/g" operator.sql | mysql
--
-- Apply it before the first `goldsmith db migrate`. In a schema's name that holds _ or % put a \
-- in front of each: here they stand for any character.

GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES
  ON `{schema}`.* TO {user};
