import { main } from "#/controllers/run.ts";

process.exitCode = await main(process.argv.slice(2));
