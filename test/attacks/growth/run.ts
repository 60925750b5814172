/**
 * Measures the growth of requests by hand: `node test/attacks/growth/run.ts [--all] [--only TEXT]`.
 * It takes each Go field once; with --all each list and map of each kind, which takes an hour.
 */
import { parseArgs } from "node:util";
import { allPlaces, uniquePlaces } from "./all-places.ts";
import { knownAttacks } from "./known-attacks.ts";
import { type Measurement, measure } from "./measure.ts";
import { pathText } from "./places.ts";
import { probesOf } from "./requests.ts";
import { startGrowthServer } from "./server.ts";

const shown = 20;
const text = { type: "string" } as const;
const { values } = parseArgs({ options: { all: { type: "boolean" }, only: text, probe: text } });
const only = values.only ?? "";

await using api = await startGrowthServer();
const measured: Measurement[] = [];
const probes = knownAttacks.map((probe) => ({ probe, name: probe.name }));
for (const place of values.all ? allPlaces() : uniquePlaces()) {
  const { version, kind } = place.resource;
  for (const probe of probesOf(place)) {
    probes.push({ probe, name: `${version} ${kind} ${pathText(place)} ${probe.name}` });
  }
}
for (const { probe, name } of probes) {
  if (!name.includes(only) || !probe.name.includes(values.probe ?? "")) continue;
  const result = await measure(api, probe, name);
  measured.push(result);
  if (result.problem === undefined) continue;
  process.stdout.write(`${name} (${result.count}, ${result.status}): ${result.problem}\n`);
  process.exitCode = 1;
}
process.stdout.write(`\n${measured.length} requests; the slowest:\n`);
for (const found of measured.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, shown)) {
  const growth = found.growth === undefined ? "" : `, growth ${found.growth.toFixed(1)}`;
  process.stdout.write(
    `${found.cpuMs.toFixed(0).padStart(6)} ms${growth} ${found.name} (${found.count}, ${found.status})\n`,
  );
}
