import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseYaml } from "#/std/text/yaml.ts";
import { editKubeconfig } from "./edit-kubeconfig.ts";
import { type UserFileOptions, userFile } from "./user-file.ts";
import { withCluster, withoutCluster } from "./user-kubeconfig.ts";

const nobody: UserFileOptions = {
  flag: "",
  env: {},
  cwd: "/work",
  home: "/root",
  caller: undefined,
  exists: () => false,
};
const caller = { uid: 1000, gid: 1001, home: "/home/eve" };
const eve = { uid: 1000, gid: 1001 };

const files: readonly { name: string; options: Partial<UserFileOptions>; expected: object }[] = [
  {
    name: "root's own",
    options: {},
    expected: { path: "/root/.kube/config", owner: undefined, isAsked: false },
  },
  {
    name: "that of the user that called sudo",
    options: { caller },
    expected: { path: "/home/eve/.kube/config", owner: eve, isAsked: true },
  },
  {
    name: "KUBECONFIG",
    options: { env: { KUBECONFIG: "mine" }, caller },
    expected: { path: "/work/mine", owner: eve, isAsked: true },
  },
  {
    name: "the first existing file of KUBECONFIG",
    options: { env: { KUBECONFIG: "/a::/b:/c" }, exists: (path) => path === "/b" },
    expected: { path: "/b", owner: undefined, isAsked: true },
  },
  {
    name: "the last file of KUBECONFIG if none exists",
    options: { env: { KUBECONFIG: "/a:/b" } },
    expected: { path: "/b", owner: undefined, isAsked: true },
  },
  {
    name: "that of the flag, whatever KUBECONFIG is",
    options: { flag: "x/y", env: { KUBECONFIG: "/a" } },
    expected: { path: "/work/x/y", owner: undefined, isAsked: true },
  },
];

for (const { name, options, expected } of files) {
  test(`userFile() is ${name}`, () =>
    assert.deepEqual(userFile({ ...nobody, ...options }), expected));
}

const entry = (name: string) => ({
  name,
  cluster: { server: `https://${name}` },
  user: { t: "u" },
});

test("withCluster() adds a cluster beside others, and keeps the user's settings", () => {
  const both = withCluster(withCluster({ extensions: 1 }, entry("a")), entry("b"));
  assert.deepEqual(both, {
    apiVersion: "v1",
    kind: "Config",
    extensions: 1,
    clusters: [
      { name: "a", cluster: { server: "https://a" } },
      { name: "b", cluster: { server: "https://b" } },
    ],
    users: [
      { name: "a-admin", user: { t: "u" } },
      { name: "b-admin", user: { t: "u" } },
    ],
    contexts: [
      { name: "a", context: { cluster: "a", user: "a-admin" } },
      { name: "b", context: { cluster: "b", user: "b-admin" } },
    ],
    "current-context": "b",
  });
  const contexts = [{ name: "a", context: { cluster: "old", namespace: "mine" } }];
  assert.deepEqual(withCluster({ clusters: null, contexts }, entry("a"))["contexts"], [
    { name: "a", context: { cluster: "a", user: "a-admin", namespace: "mine" } },
  ]);
});

test("withoutCluster() makes the next context current, unless another is", () => {
  const both = withCluster(withCluster({}, entry("a")), entry("b"));
  assert.equal(withoutCluster(both, "b")?.["current-context"], "a");
  assert.equal(withoutCluster(both, "a")?.["current-context"], "b");
  assert.deepEqual(withoutCluster(both, "b"), withCluster({}, entry("a")));
  assert.equal(withoutCluster(withCluster({}, entry("a")), "a"), undefined);
});

const folder = mkdtempSync(join(tmpdir(), "k8ts-user-access-"));
after(() => rmSync(folder, { recursive: true }));
const isRoot = process.getuid?.() === 0;

test("editKubeconfig() makes a file that only its owner may read", async () => {
  const path = join(folder, "new/deep/config");
  const owner = isRoot ? { uid: 65534, gid: 65534 } : undefined;
  await editKubeconfig(path, () => ({ kind: "Config" }), owner);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  if (owner) {
    for (const made of [path, join(folder, "new/deep"), join(folder, "new")]) {
      assert.equal(statSync(made).uid, owner.uid, made);
    }
  }
  assert.deepEqual(readdirSync(join(folder, "new/deep")), ["config"]);
});

test("editKubeconfig() keeps mode, owner and link of an existing file", async () => {
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  writeFileSync(file, "apiVersion: v1\ncontexts: null\n");
  chmodSync(file, 0o640);
  symlinkSync(file, link);
  await editKubeconfig(link, (config) => withCluster(config, entry("a")), { uid: 1, gid: 1 });
  assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.equal(statSync(file).uid, process.getuid?.());
  assert.deepEqual(parseYaml(readFileSync(link, "utf8")), withCluster({}, entry("a")));
  await editKubeconfig(link, (config) => withoutCluster(config, "a"));
  assert.equal(existsSync(file), false);
});

test("editKubeconfig() doesn't change a file that is no kubeconfig", async () => {
  const path = join(folder, "text");
  writeFileSync(path, "- a\n");
  await assert.rejects(
    editKubeconfig(path, () => ({})),
    /is not a kubeconfig/,
  );
  assert.equal(readFileSync(path, "utf8"), "- a\n");
  assert.equal(existsSync(`${path}.lock`), false);
});
