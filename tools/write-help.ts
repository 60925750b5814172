import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { helpFolder, launcherHelp } from "./command-help.ts";

/** `node tools/write-help.ts` writes the texts that the launcher prints without Node. */
for (const [name, text] of await launcherHelp())
  writeFileSync(join(helpFolder, `${name}.txt`), text);
