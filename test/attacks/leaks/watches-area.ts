import { configMaps } from "#/api/core/v1.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { type Area, forgetHistory } from "./heap.ts";
import { Watchers } from "./watchers.ts";

const count = 100;
const path = "/api/v1/namespaces/default/configmaps";

/** An API server on a real port: a hundred watches are opened, get an event and are broken off. */
export async function openWatches(): Promise<Area> {
  const server = await startTlsServer();
  const { api } = server.secured;
  const { cache } = api.registry.store(configMaps);
  const others = cache.watcherCount;
  return {
    cycle: async (n) => {
      const from = `resourceVersion=${api.registry.feed.revision}`;
      {
        using watchers = await Watchers.open(
          server.port,
          "admintoken",
          `${path}?watch=true&${from}`,
          count,
        );
        await api.call("POST", path, { metadata: { name: `event-${n}` } });
        await watchers.untilEach(1);
      }
      await api.call("DELETE", `${path}/event-${n}`);
      while (cache.watcherCount > others) await nextTurn();
    },
    settle: async () => forgetHistory(api.registry),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
