import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runProgram } from "#/std/process/run-program.ts";
import { mayMakeNamespaces } from "#/testing/network-namespace.ts";
import { clusterPaths, kubeletFolder } from "../base/paths.ts";
import {
  ensureKubeletFolder,
  enterMounts,
  enterPresentMounts,
  mountAgainInside,
  removeKubeletFolder,
} from "./kubelet-folder.ts";

async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kubelet-folder-"));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

const options = { skip: !mayMakeNamespaces && "needs root" };

test("ensureKubeletFolder() gives each node of a machine its own", options, async (context) => {
  const nodes = await Promise.all(
    ["one", "other"].map(async (content) => {
      const paths = clusterPaths(await temporaryFolder(context));
      await mkdir(paths.kubelet);
      await writeFile(join(paths.kubelet, "name"), content);
      const name = `test-${randomBytes(4).toString("hex")}`;
      return { paths, settings: { name, networkNamespace: name }, content };
    }),
  );
  const inside = ({ settings }: (typeof nodes)[number], script: string): Promise<string> =>
    runProgram("nsenter", [...enterMounts(settings), "sh", "-ec", script]);
  for (const node of [...nodes, ...nodes]) await ensureKubeletFolder(node.paths, node.settings);
  for (const node of nodes) {
    assert.equal(await inside(node, `cat ${kubeletFolder}/name`), node.content);
    // A container that mounts a volume there mounts it for the node.
    assert.match(await inside(node, `findmnt -no PROPAGATION ${kubeletFolder}`), /shared/);
    await inside(
      node,
      `mkdir ${kubeletFolder}/volume && mount -t tmpfs none ${kubeletFolder}/volume`,
    );
    assert.equal(existsSync(`${kubeletFolder}/name`), false, "the machine sees nothing of it");
  }
  const [first, second] = nodes;
  if (!first || !second) throw new Error("two nodes");
  await removeKubeletFolder(first.paths, first.settings);
  assert.equal(await inside(second, `cat ${kubeletFolder}/name`), "other");
  await removeKubeletFolder(second.paths, second.settings);
  assert.equal(existsSync(`/run/k8ts-mounts/${second.settings.name}`), false);
});

const printFlags = `
  const { enterMounts } = await import(${JSON.stringify(import.meta.resolve("./kubelet-folder.ts"))});
  console.log(JSON.stringify(enterMounts(JSON.parse(process.argv[1]))));
`;

test(
  "a program inside of a node's mount namespace does not enter it again",
  options,
  async (context) => {
    const paths = clusterPaths(await temporaryFolder(context));
    await mkdir(paths.kubelet);
    const name = `test-${randomBytes(4).toString("hex")}`;
    const settings = { name, networkNamespace: name };
    const flags = [`--mount=/run/k8ts-mounts/${name}`];
    assert.deepEqual(enterMounts(settings), flags, "before it is made");
    assert.deepEqual(enterPresentMounts(settings), [], "a node without");
    await ensureKubeletFolder(paths, settings);
    context.after(() => removeKubeletFolder(paths, settings));
    assert.deepEqual(enterPresentMounts(settings), flags);
    assert.deepEqual(enterMounts(settings), flags);
    const node = [process.execPath, "--input-type=module", "-e", printFlags];
    const inside = await runProgram("nsenter", [...flags, ...node, JSON.stringify(settings)]);
    assert.deepEqual(JSON.parse(inside), []);
  },
);

const printMounted = `
  const { mountAgainInside } = await import(${JSON.stringify(import.meta.resolve("./kubelet-folder.ts"))});
  const { clusterPaths } = await import(${JSON.stringify(import.meta.resolve("../base/paths.ts"))});
  const { execFileSync } = await import("node:child_process");
  const [folder, settings] = process.argv.slice(1);
  const again = () => mountAgainInside(clusterPaths(folder), JSON.parse(settings));
  const before = await again();
  execFileSync("umount", ["-l", "/var/lib/kubelet"]);
  const after = await again();
  const name = execFileSync("cat", ["/var/lib/kubelet/name"], { encoding: "utf8" });
  console.log(JSON.stringify([before, after, name]));
`;

test("mountAgainInside() mounts a folder that is gone, and no other", options, async (context) => {
  const folder = await temporaryFolder(context);
  const paths = clusterPaths(folder);
  await mkdir(paths.kubelet);
  await writeFile(join(paths.kubelet, "name"), "own");
  const name = `test-${randomBytes(4).toString("hex")}`;
  const settings = { name, networkNamespace: name };
  await ensureKubeletFolder(paths, settings);
  context.after(() => removeKubeletFolder(paths, settings));
  const node = [process.execPath, "--input-type=module", "-e", printMounted];
  const args = [...enterMounts(settings), ...node, folder, JSON.stringify(settings)];
  assert.deepEqual(JSON.parse(await runProgram("nsenter", args)), [false, true, "own"]);
  assert.equal(await mountAgainInside(paths, settings), false, "outside of the node's mounts");
});

/** A machine of one cluster: a program in a mount namespace of its own. */
const alone = `
  const [folder, found] = process.argv.slice(1);
  const { execFileSync } = await import("node:child_process");
  const { mkdirSync, writeFileSync } = await import("node:fs");
  const { clusterPaths } = await import(${JSON.stringify(import.meta.resolve("../base/paths.ts"))});
  const { ensureKubeletFolder, kubeletRoot, mountRoots, removeKubeletFolder } =
    await import(${JSON.stringify(import.meta.resolve("./kubelet-folder.ts"))});
  const sh = (script) => execFileSync("sh", ["-ec", script], { encoding: "utf8" }).trim();
  sh("mkdir -p /var/lib/kubelet; mount -t tmpfs none /var/lib; mkdir /var/lib/kubelet");
  if (found) writeFileSync("/var/lib/kubelet/" + found, "");
  const paths = clusterPaths(folder);
  mkdirSync(paths.kubelet);
  const settings = { name: "test", networkNamespace: undefined };
  for (let times = 0; times < 2; times++) await ensureKubeletFolder(paths, settings);
  const answer = [kubeletRoot(paths, settings), mountRoots(paths)];
  await removeKubeletFolder(paths, settings);
  console.log(JSON.stringify([...answer, sh("findmnt -n /var/lib/kubelet || echo gone")]));
`;

for (const { found, root } of [
  { found: "", root: kubeletFolder },
  { found: "pki", root: "kubelet" },
]) {
  const claim = found ? "leaves another kubelet's folder alone" : "takes the machine's folder";
  test(`ensureKubeletFolder() of a machine's only node ${claim}`, options, async (context) => {
    const folder = await temporaryFolder(context);
    const node = [process.execPath, "--input-type=module", "-e", alone, folder, found];
    const printed = await runProgram("unshare", ["--mount", "--propagation", "private", ...node]);
    const expected = found ? join(folder, root) : root;
    const roots = found ? [folder] : [folder, kubeletFolder];
    assert.deepEqual(JSON.parse(printed), [expected, roots, "gone"]);
  });
}

/** A machine on which `ip netns` was used: what is mounted in its folder of networks is mounted twice, once hidden. */
const withNetworks = `
  const [folder] = process.argv.slice(1);
  const { execFileSync } = await import("node:child_process");
  const { mkdirSync } = await import("node:fs");
  const { clusterPaths } = await import(${JSON.stringify(import.meta.resolve("../base/paths.ts"))});
  const { ensureKubeletFolder, enterMounts, removeKubeletFolder } =
    await import(${JSON.stringify(import.meta.resolve("./kubelet-folder.ts"))});
  const sh = (script) => execFileSync("sh", ["-ec", script], { encoding: "utf8" }).trim();
  const paths = clusterPaths(folder);
  mkdirSync(paths.kubelet);
  const settings = { name: "test", networkNamespace: "test" };
  const inside = (script) =>
    execFileSync("nsenter", [...enterMounts(settings), "sh", "-ec", script], { encoding: "utf8" }).trim();
  // The machine's own folder is where other clusters of it have their mounts.
  sh("mkdir -p /var/lib/kubelet; mount -t tmpfs none /var/lib; mkdir /var/lib/kubelet");
  // Also those that would be hidden.
  sh("for place in k8ts-mounts netns; do umount -R /run/$place 2>/dev/null || true; done");
  sh(\`mount -t tmpfs none /run; mount --make-rshared /; mkdir /run/netns; : >/run/netns/early
    mount --bind /run/netns /run/netns; mount --bind /proc/self/ns/net /run/netns/early\`);
  const twice = sh("grep -c ' /run/netns/early ' /proc/self/mountinfo");
  await ensureKubeletFolder(paths, settings);
  inside(": >/run/netns/late; mount --bind /proc/self/ns/net /run/netns/late");
  await ensureKubeletFolder(paths, settings);
  for (const name of ["early", "late"]) {
    inside(\`[ "$(stat -f -c %T /run/netns/\${name})" = nsfs ]; umount /run/netns/\${name}; rm /run/netns/\${name}\`);
  }
  sh(": >/run/netns/later; mount --bind /proc/self/ns/net /run/netns/later");
  const seen = inside("stat -f -c %T /run/netns/later");
  sh("umount /run/netns/later; rm /run/netns/later");
  await removeKubeletFolder(paths, settings);
  console.log(JSON.stringify([twice, seen]));
`;

test(
  "what Pods had before their node got mounts of its own can be removed inside",
  options,
  async (context) => {
    const folder = await temporaryFolder(context);
    const node = [process.execPath, "--input-type=module", "-e", withNetworks, folder];
    const printed = await runProgram("unshare", ["--mount", "--propagation", "private", ...node]);
    assert.deepEqual(JSON.parse(printed), ["2", "nsfs"]);
  },
);
