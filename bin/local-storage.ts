import "#/std/process/quick-imports.ts";

const { main } = await import("#/local-storage/run.ts");
process.exitCode = await main(process.argv.slice(2));
