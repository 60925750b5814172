// By its path: Node takes a millisecond to find out what "#" means.
import "../src/std/process/quick-imports.ts";

const { main } = await import("#/kubectl/run.ts");
// All is written: connections that are closing need not be waited for.
process.exit(await main(process.argv.slice(2)));
