import type { NodeImage } from "#/kubelet/run.ts";

/** The images of one node. */
interface ImagesOfNode {
  readonly node: string;
  readonly images: readonly NodeImage[];
}

/** The rows of `k8ts image ls`: one for each name, with the nodes that have it. */
export function imageRows(nodes: readonly ImagesOfNode[]): string[][] {
  const found = new Map<string, { image: NodeImage; name: string; nodes: string[] }>();
  for (const { node, images } of nodes) {
    for (const image of images) {
      for (const name of image.names.length > 0 ? image.names : ["<none>"]) {
        const key = `${name} ${image.id}`;
        const row = found.get(key) ?? { image, name, nodes: [] };
        row.nodes.push(node);
        found.set(key, row);
      }
    }
  }
  const rows = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    ["IMAGE", "ID", "SIZE", "NODES"],
    ...rows.map(({ image, name, nodes: having }) => [
      name,
      shortId(image.id),
      sizeText(image.sizeBytes),
      having.join(","),
    ]),
  ];
}

/** The first digits of a digest, as other tools show it. */
const shortId = (id: string): string => id.replace(/^sha256:/, "").slice(0, 12);

const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
