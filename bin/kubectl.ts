import { main } from "#/kubectl/run.ts";

process.exitCode = await main(process.argv.slice(2));
