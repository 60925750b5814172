import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandReference, helpFolder, launcherHelp, referenceFile } from "./command-help.ts";

/** `node tools/write-help.ts` writes the texts that the launcher prints without Node, and the page with all of them. */
const texts = await launcherHelp();
for (const [name, text] of texts) writeFileSync(join(helpFolder, `${name}.txt`), text);
writeFileSync(referenceFile, commandReference(texts));
