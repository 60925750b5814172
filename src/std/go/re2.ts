import { lazyModule } from "../base/lazily.ts";

/** Go's regular expressions, which match in linear time: loaded at the first use. */
export const re2 = lazyModule<typeof import("re2js")>("re2js", import.meta.url);
