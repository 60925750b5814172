import { main } from "#/apiserver/run.ts";

process.exitCode = await main(process.argv.slice(2));
