import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { BackoffTable } from "./backoff-table.ts";
import { parseImageName, withDefaultTag } from "./image-name.ts";
import { Keyring, type PullCredential } from "./keyring.ts";
import { PullRecords } from "./pull-records.ts";

const digest = `sha256:${"a".repeat(64)}`;

for (const { image, expected } of [
  { image: "example.org/a/b", expected: ["example.org/a/b", "latest", ""] },
  { image: "example.org:5000/a:1.2", expected: ["example.org:5000/a", "1.2", ""] },
  { image: `example.org/a@${digest}`, expected: ["example.org/a", "", digest] },
  { image: `localhost/a:1@${digest}`, expected: ["localhost/a", "1", digest] },
]) {
  test(`parseImageName() parses ${image}`, () => {
    const { repository, tag, digest } = parseImageName(image);
    assert.deepEqual([repository, tag, digest], expected);
  });
}

for (const { image, message } of [
  { image: "example.org/Upper", message: /repository name must be lowercase/ },
  { image: "a b", message: /^couldn't parse image name "a b": invalid reference format$/ },
  { image: "", message: /invalid reference format/ },
]) {
  test(`parseImageName() refuses "${image}"`, () => {
    assert.throws(() => parseImageName(image), { message });
  });
}

test("withDefaultTag() leaves a tag or digest as it is", () => {
  assert.equal(withDefaultTag("busybox"), "busybox:latest");
  assert.equal(withDefaultTag("busybox:1"), "busybox:1");
  assert.equal(withDefaultTag(`busybox@${digest}`), `busybox@${digest}`);
});

const secret = (auths: object) => ({
  type: "kubernetes.io/dockerconfigjson",
  data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
});

for (const { key, repository, found } of [
  { key: "example.org", repository: "example.org/team/app", found: true },
  { key: "https://example.org/v2/", repository: "example.org/team/app", found: true },
  { key: "example.org/team", repository: "example.org/team/app", found: true },
  { key: "example.org/other", repository: "example.org/team/app", found: false },
  { key: "*.example.org", repository: "eu.example.org/app", found: true },
  { key: "*.example.org", repository: "example.org/app", found: false },
  { key: "example.org:5000", repository: "example.org/app", found: false },
  { key: "[", repository: "example.org/app", found: false },
  { key: `${"*a".repeat(30)}b.org`, repository: `${"a".repeat(63)}.org/app`, found: false },
]) {
  test(`Keyring ${found ? "finds" : "does not find"} ${key} for ${repository}`, () => {
    const keyring = new Keyring();
    keyring.addSecret(
      secret({ [key]: { auth: Buffer.from("me:pass").toString("base64") } }) as never,
    );
    const expected = found ? [{ username: "me", password: "pass" }] : [];
    assert.deepEqual(
      keyring.lookup(repository).map(({ auth }) => auth),
      expected,
    );
  });
}

const badEntries: readonly (readonly [entry: unknown, message: RegExp])[] = [
  [1, /cannot unmarshal number/],
  [{ username: {} }, /cannot unmarshal object into .*username of type string/],
  [{ auth: [] }, /cannot unmarshal array into .*auth of type string/],
  [{ auth: "bm8=" }, /must be formatted as base64\(username:password\)/],
];
for (const [entry, message] of badEntries) {
  test(`Keyring refuses the entry ${JSON.stringify(entry)}`, () => {
    const keyring = new Keyring();
    assert.throws(() => keyring.addSecret(secret({ h: entry }) as never), message);
  });
}

test("Keyring prefers auth to username and password", () => {
  const keyring = new Keyring();
  const auth = Buffer.from("a:b").toString("base64");
  keyring.addSecret(secret({ "h.org": { username: "c", auth }, n: null }) as never);
  assert.deepEqual(keyring.lookup("h.org/i")[0]?.auth, { username: "a", password: "b" });
});

test("Keyring gives the most specific credentials first", () => {
  const keyring = new Keyring();
  const source = { uid: "u", namespace: "n", name: "s" };
  keyring.add({ "example.org": { username: "a" }, "example.org/team": { username: "b" } }, source);
  const found = keyring.lookup("example.org/team/app").map(({ auth }) => auth.username);
  assert.deepEqual(found, ["b", "a"]);
});

test("BackoffTable forgets failures after twice the longest delay, however the wall clock is set", async () => {
  const clock = new FakeClock();
  const table = new BackoffTable({ initialMs: 10_000, maxMs: 300_000, clock });
  table.next("a", clock.now(), "denied");
  clock.setWallClock(clock.now() - 3_600_000);
  assert.equal(table.remainingSinceUpdateMs("a"), 10_000);
  await clock.advance(10_000);
  assert.equal(table.remainingSinceUpdateMs("a"), 0);
  table.collect();
  assert.equal(table.reason("a"), "denied");
  await clock.advance(600_000);
  table.collect();
  assert.equal(table.reason("a"), "");
});

test("BackoffTable doubles from the first restart on, and is reset after a long time without failures", async () => {
  const clock = new FakeClock();
  const table = new BackoffTable({ initialMs: 10_000, maxMs: 300_000, clock });
  assert.equal(table.remainingMs("a", clock.now()), 0);
  const delays: number[] = [];
  for (let round = 0; round < 7; round++) {
    table.next("a", clock.now());
    delays.push(table.delayMs("a") / 1000);
  }
  assert.deepEqual(delays, [10, 20, 40, 80, 160, 300, 300]);
  await clock.advance(299_000);
  assert.equal(table.remainingSinceUpdateMs("a"), 1_000);
  await clock.advance(400_000);
  table.next("a", clock.now());
  assert.equal(table.delayMs("a"), 10_000);
});

test("PullRecords requires credentials for images that were pulled with another pod's", async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-pulls-"));
  try {
    const records = new PullRecords({
      root,
      policy: "NeverVerifyPreloadedImages",
      allowlist: [],
      clock: new FakeClock(),
    });
    const own = credential("s1", "secret");
    const image = "example.org/app:1";
    assert.equal(await records.mustPull(image, "ref", []), false, "preloaded");
    await records.pulling(image);
    assert.equal(await records.mustPull(image, "ref", []), true, "being pulled");
    await records.pulled(image, "ref", own);
    assert.equal(await records.mustPull(image, "ref", []), true, "without credentials");
    assert.equal(await records.mustPull(image, "ref", [credential("s2", "other")]), true);
    assert.equal(await records.mustPull(image, "ref", [own]), false);
    assert.equal(await records.mustPull(image, "ref", [credential("s2", "secret")]), false);
    assert.equal(await records.mustPull("example.org/other:1", "ref", [own]), true, "another name");
    await records.pulled(image, "ref", undefined);
    assert.equal(await records.mustPull(image, "ref", []), false, "for all");
    await records.pulled(image, "ref2", own);
    await records.prune(new Set(["ref"]));
    assert.equal(await records.mustPull(image, "ref2", []), false, "forgotten");
  } finally {
    await rm(root, { recursive: true });
  }
});

function credential(name: string, password: string): PullCredential {
  return { auth: { password }, source: { uid: name, namespace: "n", name }, hash: password };
}
