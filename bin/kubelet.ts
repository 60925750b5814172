import { main } from "#/kubelet/run.ts";

process.exitCode = await main(process.argv.slice(2));
