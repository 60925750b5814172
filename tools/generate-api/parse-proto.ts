/** A field of a protobuf message. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly label: "optional" | "repeated" | "required" | "map";
  /** The type, or for a map the type of its values. */
  readonly type: string;
}

/** The messages of a .proto file by name, each with its fields in order. */
export function parseProto(source: string): Map<string, readonly ProtoField[]> {
  const messages = new Map<string, readonly ProtoField[]>();
  for (const [, name, body] of source.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    if (name && body !== undefined) messages.set(name, parseProtoFields(body));
  }
  return messages;
}

function parseProtoFields(body: string): ProtoField[] {
  const pattern =
    /^ {2}(?:(optional|repeated|required) (\S+)|map<string, (\S+)>) (\w+) = (\d+);$/gm;
  return [...body.matchAll(pattern)].map(([, label, type, values, name = "", number]) => ({
    name,
    number: Number(number),
    label: (label ?? "map") as ProtoField["label"],
    type: type ?? values ?? "",
  }));
}
