import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "#/api/base/schema.ts";
import { type PersistentVolume, persistentVolumes, pods, type Volume } from "#/api/core/v1.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { pluginOfPersistentVolume, pluginOfVolume } from "../volume-plugin.ts";
import { type VolumeServices, volumePlugins } from "./index.ts";

const plugins = volumePlugins({} as VolumeServices);

/** The schema of a field, or of the items of a list. */
function field(schema: Schema | undefined, name: string): Schema | undefined {
  const found = schema?.type === "struct" ? schema.fields.get(name)?.schema : undefined;
  return found?.type === "list" ? found.items : found;
}

/** Fields that are sources of volumes: all optional structs. */
function sources(schema: Schema | undefined, except: readonly string[]): string[] {
  if (schema?.type !== "struct") return [];
  return [...schema.fields]
    .filter(
      ([
        name,
        {
          schema: { type },
        },
      ]) => type === "struct" && !except.includes(name),
    )
    .map(([name]) => name);
}

/** In-tree volumes that this kubelet does not have; upstream has removed most of them or moved them to CSI drivers. */
const without = [
  ["awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc", "flexVolume"],
  ["flocker", "gcePersistentDisk", "glusterfs", "iscsi", "photonPersistentDisk", "portworxVolume"],
  ["quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"],
].flat();

test("volumePlugins() has every source of the API but the listed exceptions", () => {
  const volume = field(field(schemaOf(pods), "spec"), "volumes");
  const missing = sources(volume, []).filter(
    (name) => !pluginOfVolume(plugins, { name: "v", [name]: {} } as Volume),
  );
  assert.deepEqual(missing.sort(), [...without, "gitRepo"].sort());
  const spec = field(schemaOf(persistentVolumes), "spec");
  const missingPersistent = sources(spec, ["claimRef", "nodeAffinity"]).filter(
    (name) =>
      !pluginOfPersistentVolume(plugins, {
        metadata: {},
        spec: { [name]: {} },
      } as unknown as PersistentVolume),
  );
  assert.deepEqual(missingPersistent.sort(), [...without].sort());
});

test("volumePlugins() has one plugin for each source", () => {
  const names = plugins.map(({ source }) => source);
  assert.deepEqual(names, [...new Set(names)]);
});
