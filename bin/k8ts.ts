import "#/std/process/quick-imports.ts";
import { main } from "#/cluster/main.ts";

process.exitCode = await main(process.argv.slice(2));
