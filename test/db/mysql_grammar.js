// Which statements MySQL 8 would not parse: mysql_grammar.js TOOLS. Reads a JSON array of statements on standard input,
// and writes the array of those that its grammar refuses, each with the reason. The grammar is that of MySQL Workbench.
'use strict';
const path = require('path');
const Parser = require(path.join(process.argv[2], 'node_modules', 'ts-mysql-parser')).default;
const parser = new Parser({ version: '8.0.40' });
const refused = [];
for (const statement of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  const result = parser.parse(statement);
  const problem = result.lexerError || result.parserError;
  if (problem) refused.push([statement, problem.message]);
}
process.stdout.write(JSON.stringify(refused));
