import type { Scale } from "#/api/autoscaling/v1.ts";
import type { HorizontalPodAutoscaler } from "#/api/autoscaling/v2.ts";
import type { Client } from "#/client/client.ts";
import type { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";

const attempts = 5;

/** Reads and sets the size of a target of any kind. */
export class ScaleTargets {
  readonly #client: Client;
  readonly #catalog: CachedCatalog;

  constructor(client: Client, catalog: CachedCatalog) {
    this.#client = client;
    this.#catalog = catalog;
  }

  async get({ metadata, spec }: HorizontalPodAutoscaler): Promise<Scale> {
    const resource = await this.#resource(spec.scaleTargetRef);
    const { namespace } = metadata;
    const { name } = spec.scaleTargetRef;
    return await this.#client.getSubresource<Scale>(resource, { name, namespace }, "scale");
  }

  async set(autoscaler: HorizontalPodAutoscaler, scale: Scale, replicas: number): Promise<void> {
    const { namespace } = autoscaler.metadata;
    const { scaleTargetRef } = autoscaler.spec;
    const resource = await this.#resource(scaleTargetRef);
    const ref = { name: scaleTargetRef.name, namespace };
    let latest = scale;
    for (let attempt = 1; ; attempt++) {
      const body = { ...latest, spec: { ...latest.spec, replicas } };
      try {
        await this.#client.updateSubresource<Scale>(resource, ref, "scale", body);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error;
        latest = await this.get(autoscaler);
      }
    }
  }

  async #resource({ apiVersion = "", kind }: { apiVersion?: string; kind: string }) {
    const found = await this.#catalog.findKind({ apiVersion, kind });
    if (found) return found;
    throw new Error(
      `no matches for kind "${kind}" in group "${parseApiVersion(apiVersion).group}"`,
    );
  }
}
