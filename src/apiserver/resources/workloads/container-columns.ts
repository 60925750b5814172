import type { Container } from "#/api/core/v1.ts";
import type { Column, Decoded } from "../../registry/strategy.ts";

/** Names and images of containers, as wide tables show them. Upstream: pkg/printers/internalversion/printers.go. */
export const containerNames = (containers: readonly Container[] = []): string =>
  containers.map(({ name }) => name).join(",");

export const containerImages = (containers: readonly Container[] = []): string =>
  containers.map(({ image = "" }) => image).join(",");

/** Wide columns of kinds that create Pods: the containers of the template, and the selector. */
export function templateColumns<T>(
  containersOf: (object: Decoded<T>) => readonly Container[] | undefined,
  formatSelector?: (object: Decoded<T>) => string,
): readonly Column<T>[] {
  const wide = (name: string, cell: (object: Decoded<T>) => string): Column<T> => ({
    name,
    type: "string",
    priority: 1,
    cell,
  });
  return [
    wide("Containers", (object) => containerNames(containersOf(object))),
    wide("Images", (object) => containerImages(containersOf(object))),
    ...(formatSelector ? [wide("Selector", formatSelector)] : []),
  ];
}
