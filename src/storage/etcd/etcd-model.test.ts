import { after, before, describe, test } from "node:test";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { compareWithModel } from "#/testing/model-run.ts";
import { TcpProxy } from "#/testing/tcp-proxy.ts";
import { EtcdStorage } from "./etcd-storage.ts";

/** More with $K8TS_MODEL_RUNS; a failure names the seed, which $K8TS_MODEL_SEED then begins with. */
const runs = Number(process.env["K8TS_MODEL_RUNS"] ?? 2);
const firstSeed = Number(process.env["K8TS_MODEL_SEED"] ?? 1);

describe("etcd and the model agree", { timeout: runs * 30_000 }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    cluster = await EtcdCluster.start();
  });
  after(() => cluster[Symbol.asyncDispose]());

  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    test(`seed ${seed}`, async () => {
      const { endpoints } = cluster;
      await using storage = await EtcdStorage.open({ endpoints, compactIntervalMs: 0 });
      await compareWithModel(storage, { seed, steps: 500, prefix: `/registry/model/${seed}/` });
    });

    test(`seed ${seed}, while connections break`, async () => {
      await using proxy = await TcpProxy.start(new URL(cluster.endpoints[0] ?? ""));
      const endpoints = [`http://127.0.0.1:${proxy.port}`];
      await using storage = await EtcdStorage.open({ endpoints, compactIntervalMs: 0 });
      const fault = async (): Promise<void> => proxy.breakOnce();
      const prefix = `/registry/broken/${seed}/`;
      await compareWithModel(storage, { seed, steps: 500, prefix, fault });
    });
  }
});
