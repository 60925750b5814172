import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  recorderOf,
  registerCluster,
  registeredFolder,
  registerFolder,
  undoChanges,
} from "./host-changes.ts";

/** Files that stand for those of the kernel, and clusters that change them. */
class TestKernel {
  readonly #root = mkdtempSync(join(tmpdir(), "changes-"));
  readonly folder = join(this.#root, "changes");
  readonly removed: string[] = [];
  readonly options = {
    folder: this.folder,
    run: async (program: string, args: readonly string[]) => {
      this.removed.push([program, ...args].join(" "));
      return "";
    },
  };

  file(name: string): string {
    return join(this.#root, name);
  }

  set(name: string, value: string): void {
    writeFileSync(this.file(name), `${value}\n`);
  }

  value(name: string): string {
    return readFileSync(this.file(name), "utf8").trim();
  }

  change(cluster: string, name: string, after: string): void {
    const before = this.value(name);
    recorderOf(cluster, this.options)({ file: this.file(name), before, after });
    this.set(name, after);
  }

  remove(cluster: string): Promise<void> {
    return undoChanges(cluster, this.options);
  }
}

test("undoChanges() restores values, unloads modules, and leaves nothing", async () => {
  const kernel = new TestKernel();
  for (const [name, value] of [
    ["ip_forward", "0"],
    ["max", "65536"],
  ] as const)
    kernel.set(name, value);
  kernel.change("a", "ip_forward", "1");
  kernel.change("a", "max", "131072");
  recorderOf("a", kernel.options)({ module: "br_netfilter" });
  await kernel.remove("a");
  assert.deepEqual([kernel.value("ip_forward"), kernel.value("max")], ["0", "65536"]);
  assert.deepEqual(kernel.removed, ["modprobe -r br_netfilter"]);
  assert.equal(existsSync(kernel.folder), false);
});

test("undoChanges() keeps a value that the administrator has set since", async () => {
  const kernel = new TestKernel();
  kernel.set("max", "65536");
  kernel.change("a", "max", "131072");
  kernel.set("max", "262144");
  await kernel.remove("a");
  assert.equal(kernel.value("max"), "262144");
});

for (const order of [
  ["a", "b", "c"],
  ["c", "b", "a"],
  ["b", "a", "c"],
] as const) {
  test(`undoChanges(): of clusters removed in the order ${order}, the last restores`, async () => {
    const kernel = new TestKernel();
    kernel.set("ip_forward", "0");
    kernel.set("max", "10");
    for (const cluster of order) await registerCluster(cluster, kernel.options);
    kernel.change("a", "ip_forward", "1");
    kernel.change("a", "max", "20");
    kernel.change("b", "max", "30");
    for (const [at, cluster] of order.entries()) {
      assert.equal(kernel.value("ip_forward"), "1");
      assert.equal(kernel.value("max"), "30");
      assert.equal(existsSync(join(kernel.folder, cluster)), true, `${at}`);
      await kernel.remove(cluster);
    }
    assert.deepEqual([kernel.value("ip_forward"), kernel.value("max")], ["0", "10"]);
  });
}

test("undoChanges() leaves nothing to a cluster in another network, and modules to any", async () => {
  const kernel = new TestKernel();
  const record = recorderOf("a", kernel.options);
  for (const cluster of ["a", "b"]) await registerCluster(cluster, kernel.options);
  record({ file: kernel.file("ip_forward"), before: "0", after: "1", network: "net:[0]" });
  record({ module: "overlay" });
  await kernel.remove("a");
  assert.deepEqual(kernel.removed, []);
  assert.deepEqual(readdirSync(join(kernel.folder, "b")).sort(), [".network", "overlay"]);
  await kernel.remove("b");
  assert.deepEqual(kernel.removed, ["modprobe -r overlay"]);
});

test("undoChanges() of a cluster that has changed nothing, or is unknown, does nothing", async () => {
  const kernel = new TestKernel();
  await kernel.remove("a");
  await registerCluster("a", kernel.options);
  await kernel.remove("a");
  assert.equal(existsSync(kernel.folder), false);
});

test("registeredFolder() finds the data of a cluster until it is removed", async () => {
  const kernel = new TestKernel();
  assert.equal(registeredFolder("a", kernel.options), undefined);
  await registerFolder("a", "/data/a", kernel.options);
  assert.equal(registeredFolder("a", kernel.options), "/data/a");
  assert.equal(registeredFolder("b", kernel.options), undefined);
  await kernel.remove("a");
  assert.equal(registeredFolder("a", kernel.options), undefined);
});
