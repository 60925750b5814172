import type { CsiAccessMode } from "#/machinery/csi/csi-messages.ts";

const modes: Readonly<Record<string, CsiAccessMode>> = {
  ReadWriteOnce: "SINGLE_NODE_WRITER",
  ReadOnlyMany: "MULTI_NODE_READER_ONLY",
  ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
  ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
};

/** The widest of a volume's access modes, in the form of the CSI protocol. */
export function accessMode(names: readonly string[], singleNodeModes: boolean): CsiAccessMode {
  const widest = ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod"].find(
    (one) => names.includes(one),
  );
  if (widest === "ReadWriteOnce" && singleNodeModes) return "SINGLE_NODE_MULTI_WRITER";
  if (widest === "ReadWriteOncePod" && !singleNodeModes) return "SINGLE_NODE_WRITER";
  return modes[widest ?? ""] ?? "UNKNOWN";
}
