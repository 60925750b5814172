import assert from "node:assert/strict";
import { test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { uniquePlaces } from "./all-places.ts";
import { knownAttacks } from "./known-attacks.ts";
import { measure } from "./measure.ts";
import { type Place, pathText } from "./places.ts";
import { type Probe, probesOf } from "./requests.ts";
import { startGrowthServer } from "./server.ts";

/** The same sample in every run; run.ts measures all. */
const seed = 18;
/** Requests of any list or map (count). */
const sampleSize = 8;
/** Requests of each list that was once slow (count). */
const perSlowList = 3;

/** Lists whose requests once took quadratic time, by their Go fields. */
const onceSlow = [
  "ObjectMeta.ownerReferences",
  "ObjectMeta.managedFields",
  "ServiceAccount.secrets",
  "NamespaceStatus.conditions",
  "ProjectedVolumeSource.sources",
  "PodSpec.topologySpreadConstraints",
  "ResourceRequirements.claims",
  "CSINodeSpec.drivers",
];

const isOnceSlow = ({ id }: Place): boolean => onceSlow.some((name) => id.endsWith(name));

interface Named {
  readonly name: string;
  readonly probe: Probe;
}

const named = (place: Place): Named[] =>
  probesOf(place).map((probe) => ({
    name: `${place.resource.version} ${place.resource.kind} ${pathText(place)} ${probe.name}`,
    probe,
  }));

function sample(): Named[] {
  const random = seededRandom(seed);
  const draw = (from: readonly Named[], count: number): Named[] =>
    Array.from({ length: count }, () => from[randomInt(random, from.length)]).filter(
      (one) => one !== undefined,
    );
  const [slow, others] = [true, false].map((which) =>
    uniquePlaces().filter((place) => isOnceSlow(place) === which),
  ) as [Place[], Place[]];
  return [
    ...slow.flatMap((place) => draw(named(place), perSlowList)),
    ...draw(others.flatMap(named), sampleSize),
  ];
}

test("no request with a long list or map takes more than its share of CPU or of the answer", async (t) => {
  await using api = await startGrowthServer();
  const problems: string[] = [];
  const attacks = knownAttacks.map((probe) => ({ name: probe.name, probe }));
  const requests = [...attacks, ...sample()];
  for (const { name, probe } of requests) {
    const { problem, count, status } = await measure(api, probe, name);
    if (problem !== undefined) problems.push(`${name} (${count}, ${status}): ${problem}`);
  }
  t.diagnostic(`${requests.length} requests`);
  assert.deepEqual(problems, []);
});

test("each sampled request is understood: a harmless twin of a few elements is answered", async () => {
  await using api = await startGrowthServer();
  for (const { name, probe } of knownAttacks.map((probe) => ({ name: probe.name, probe }))) {
    const { status } = await measure(api, { ...probe, request: () => probe.request(3) }, name);
    assert.ok(status < 500, `${name}: ${status}`);
  }
});
