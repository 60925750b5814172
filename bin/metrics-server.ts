import "#/std/process/quick-imports.ts";

const { main } = await import("#/metrics/run.ts");
process.exitCode = await main(process.argv.slice(2));
