/**
 * Measures the growth of requests by hand: `node test/attacks/growth/run.ts [--all] [--part K/N] [--only TEXT]`.
 * It takes each Go field once; with --all each list and map of each kind, which takes an hour. --part takes every Nth
 * of them, from the Kth on.
 */
import { parseArgs } from "node:util";
import { allPlaces, uniquePlaces } from "./all-places.ts";
import { knownAttacks } from "./known-attacks.ts";
import { type Measurement, measure } from "./measure.ts";
import { pathText } from "./places.ts";
import { probesOf } from "./requests.ts";
import { startGrowthServer } from "./server.ts";

const shown = 20;
/** Requests to one server (count): the storage in memory keeps every version of its objects of a megabyte. */
const perServer = 40;
const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { all: { type: "boolean" }, part: text, only: text, probe: text },
});
const only = values.only ?? "";
const [part = 1, parts = 1] = (values.part ?? "1/1").split("/").map(Number);

const measured: Measurement[] = [];
const probes = knownAttacks.map((probe) => ({ probe, name: probe.name }));
const places = values.all ? allPlaces() : uniquePlaces();
for (const place of places.filter((_, index) => index % parts === part - 1)) {
  const { version, kind } = place.resource;
  for (const probe of probesOf(place)) {
    probes.push({ probe, name: `${version} ${kind} ${pathText(place)} ${probe.name}` });
  }
}
const chosen = probes.filter(
  ({ probe, name }) => name.includes(only) && probe.name.includes(values.probe ?? ""),
);
let api = await startGrowthServer();
for (const [index, { probe, name }] of chosen.entries()) {
  if (index % perServer === perServer - 1) {
    await api[Symbol.asyncDispose]();
    api = await startGrowthServer();
  }
  const result = await measure(api, probe, name);
  measured.push(result);
  if (result.problem === undefined) continue;
  process.stdout.write(`${name} (${result.count}, ${result.status}): ${result.problem}\n`);
  process.exitCode = 1;
}
await api[Symbol.asyncDispose]();
process.stdout.write(`\n${measured.length} requests; the slowest:\n`);
for (const found of measured.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, shown)) {
  const growth = found.growth === undefined ? "" : `, growth ${found.growth.toFixed(1)}`;
  process.stdout.write(
    `${found.cpuMs.toFixed(0).padStart(6)} ms${growth} ${found.name} (${found.count}, ${found.status})\n`,
  );
}
