import { type ComponentType, h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadAgain } from "../base/load-again.ts";
import { FailureNote, Skeleton } from "./notes.ts";

/** Pages that were loaded, by name: there are as many as the program has. */
const loaded = new Map<string, ComponentType>();

/** A page whose modules are loaded when it is first opened. */
export function LazyPage({
  name,
  load,
}: {
  readonly name: string;
  load(): Promise<ComponentType>;
}): JSX.Element {
  const [, setLoaded] = useState(0);
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  const known = loaded.get(name);
  useEffect(() => {
    if (loaded.has(name)) return;
    loadAgain(load).then((page) => {
      loaded.set(name, page);
      setLoaded((count) => count + 1);
    }, setFailure);
  }, [name]);
  if (known) return h(known, null);
  return failure ? h(FailureNote, { failure }) : h(Skeleton, null);
}
