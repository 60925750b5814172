/** Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go. */
import { spanned } from "#/std/trace/tracer.ts";
import type { Storage } from "#/storage/base/storage.ts";

/** A store with spans for reads and writes, as part of their requests; only removal has none. */
export function tracedStorage(inner: Storage): Storage {
  const traced: Partial<Storage> = {
    get: (key, ...rest) =>
      spanned(
        "Get etcd3",
        () => ({ key }),
        () => inner.get(key, ...rest),
      ),
    range: (prefix, options) =>
      spanned(
        "List(recursive=true) etcd3",
        () => ({ key: prefix, limit: options?.limit ?? 0, continue: options?.after ?? "" }),
        () => inner.range(prefix, options),
      ),
    put: (key, value, options) =>
      spanned(
        options.expect === "absent" ? "Create etcd3" : "GuaranteedUpdate etcd3",
        () => ({ key }),
        () => inner.put(key, value, options),
      ),
  };
  return new Proxy(inner, {
    get(target, property) {
      const own = traced[property as keyof Storage];
      if (own) return own;
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
