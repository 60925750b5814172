import type { Container } from "#/api/core/v1.ts";

/** Names and images of containers, as wide tables show them. Upstream: pkg/printers/internalversion/printers.go. */
export const containerNames = (containers: readonly Container[] = []): string =>
  containers.map(({ name }) => name).join(",");

export const containerImages = (containers: readonly Container[] = []): string =>
  containers.map(({ image = "" }) => image).join(",");
