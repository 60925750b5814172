import { main } from "#/network/run.ts";

process.exitCode = await main(process.argv.slice(2));
