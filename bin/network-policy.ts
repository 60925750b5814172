import "#/std/process/quick-imports.ts";

const { main } = await import("#/policy/run.ts");
process.exitCode = await main(process.argv.slice(2));
