import type { Pod } from "#/api/core/v1.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import type { Decoded } from "../registry/strategy.ts";

/**
 * The requested container: the named one, or the only one.
 *
 * Upstream: pkg/registry/core/pod/strategy.go (validateContainer).
 */
export function chooseContainer({ metadata, spec }: Decoded<Pod>, wanted: string): string {
  const { name } = metadata;
  const all = [
    ...(spec.initContainers ?? []),
    ...spec.containers,
    ...(spec.ephemeralContainers ?? []),
  ].map((container) => container.name);
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...others] = spec.containers;
  if (!only) throw badRequest(`a container name must be specified for pod ${name}`);
  if (others.length === 0) return only.name;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`,
  );
}
