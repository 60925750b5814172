import { main } from "#/proxy/run.ts";

process.exitCode = await main(process.argv.slice(2));
