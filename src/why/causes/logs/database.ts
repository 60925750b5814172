import { logCause } from "../../facts/crash.ts";

export const logDatabase = logCause({
  name: "program-database-content",
  texts:
    /(?:relation|database|table|column|role) [`'"]?[\w.-]+[`'"]? does(?: not|n't) exist|no such (?:table|column)|unknown (?:database|column|table)|Invalid object name/i,
  meaning: "its database lacks what the program expects, as before a migration",
  fix: ["# run the migrations, and compare the names of databases and users"],
});
