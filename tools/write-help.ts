import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandHelp, helpCommands, helpFolder } from "./command-help.ts";

/** `node tools/write-help.ts` writes the texts that the launcher prints before there is a Node to ask. */
for (const name of helpCommands)
  writeFileSync(join(helpFolder, `${name}.txt`), await commandHelp(name));
