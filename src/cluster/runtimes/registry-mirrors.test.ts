import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { clusterPaths } from "../base/paths.ts";
import { registryOptions } from "./docker-config.ts";
import { getRuntime } from "./index.ts";
import {
  containerdMirrors,
  crioMirrors,
  mirrorProblem,
  parseMirror,
  removeOldMirrors,
} from "./registry-mirrors.ts";

const noMirror = /is no mirror such as/;
for (const [text, problem, runtime = "containerd"] of [
  ["docker.io=https://mirror.example:5000", undefined],
  ["localhost:5000=http://10.0.0.1", undefined],
  ["localhost:5000=http://10.0.0.1", undefined, "crio"],
  ["docker.io", noMirror],
  ["docker.io", noMirror, "docker"],
  ["docker.io=mirror.example", noMirror],
  ["docker.io=https://mirror.example/path", noMirror],
  ["../../x=https://mirror.example", noMirror],
  ["..=https://mirror.example", noMirror],
  ["docker.io=https://[fd00::1]:5000", /containerd 1 can't read; give it a name$/],
  ["docker.io=https://[fd00::1]:5000", undefined, "crio"],
  ["docker.io=https://[fd00::1]:5000", undefined, "docker"],
  ["quay.io=https://mirror.example", /^--registry-mirror=quay\.io=.* docker\.io only$/, "docker"],
] as const) {
  test(`mirrorProblem() of ${text} for ${runtime}`, () => {
    const found = mirrorProblem(text, getRuntime(runtime));
    if (problem) assert.match(found ?? "", problem);
    else assert.equal(found, undefined);
  });
}

const mirrors = [
  "docker.io=https://a.example:5000",
  "docker.io=http://b.example",
  "quay.io=https://a.example:5000",
].flatMap((text) => parseMirror(text) ?? []);

test("containerdMirrors() has a file for each registry, and removeOldMirrors() leaves those of users", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-mirrors-"));
  const paths = clusterPaths(folder);
  const files = containerdMirrors(paths, mirrors);
  assert.equal(
    files[0]?.text,
    `# Written by k8ts up, from --registry-mirror.

[host."https://a.example:5000"]
capabilities = ["pull","resolve"]

[host."http://b.example"]
capabilities = ["pull","resolve"]
`,
  );
  const own = { path: join(paths.config, "registries/ghcr.io/hosts.toml"), text: "# mine\n" };
  for (const { path, text } of [...files, own]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  await removeOldMirrors(paths, files.slice(0, 1));
  assert.deepEqual(
    [...files, own].map(({ path }) => existsSync(path)),
    [true, false, true],
  );
  rmSync(folder, { recursive: true });
});

test("crioMirrors() names those without TLS insecure", () => {
  assert.deepEqual(crioMirrors("/x.conf", mirrors), {
    path: "/x.conf",
    text: `# Written by k8ts up, from --registry-mirror.

[[registry]]
prefix = "docker.io"
location = "docker.io"

[[registry.mirror]]
location = "a.example:5000"
insecure = false

[[registry.mirror]]
location = "b.example"
insecure = true

[[registry]]
prefix = "quay.io"
location = "quay.io"

[[registry.mirror]]
location = "a.example:5000"
insecure = false
`,
  });
});

test("registryOptions() puts mirrors before those of the user's file, each once", () => {
  const text = `{"registry-mirrors":["https://own.example","http://b.example"],"insecure-registries":["x"]}`;
  const [first, second] = mirrors;
  assert.ok(first && second);
  assert.deepEqual(registryOptions(text, "docker.json", [first, second]), {
    "registry-mirrors": ["https://a.example:5000", "http://b.example", "https://own.example"],
    "insecure-registries": ["x"],
  });
  assert.deepEqual(registryOptions("{}", "docker.json", []), {});
});

for (const [text, message] of [
  ["no", /^docker\.json is no JSON: /],
  [
    `{"hosts":[]}`,
    /^docker\.json may set registry-mirrors and insecure-registries only, not hosts$/,
  ],
  [
    `{"registry-mirrors":"https://own.example"}`,
    /^registry-mirrors in docker\.json is no list of texts$/,
  ],
] as const) {
  test(`registryOptions() refuses ${text}`, () => {
    assert.throws(() => registryOptions(text, "docker.json", []), { message });
  });
}
