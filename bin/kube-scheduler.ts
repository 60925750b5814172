import { main } from "#/scheduler/run.ts";

process.exitCode = await main(process.argv.slice(2));
