import { main } from "#/dns/run.ts";

process.exitCode = await main(process.argv.slice(2));
