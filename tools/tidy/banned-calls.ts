import { blankLiterals } from "./blank-literals.ts";
import { type Finding, importsOf, lineAt, type SourceFile } from "./source-file.ts";

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Paths that own the call, or that don't matter. */
  readonly except: RegExp;
}

const time = "take a Clock (#/std/time/clock.ts)";
/** Programs that measure or generate use the machine's clock. */
const timeHome =
  /^(src\/std\/time\/(clock|turn-watch)\.ts$|src\/console\/app\/base\/browser-clock\.ts$|bench\/|tools\/)/;

const bans: readonly Ban[] = [
  { pattern: /\bDate\.now\b/g, instead: time, except: timeHome },
  { pattern: /\bnew Date\(\s*\)/g, instead: time, except: timeHome },
  { pattern: /\bset(Timeout|Interval)\(/g, instead: time, except: timeHome },
  {
    pattern: /\bsetImmediate\(/g,
    instead: "await nextTurn() (#/std/time/clock.ts)",
    except: timeHome,
  },
  { pattern: /\bperformance\.now\b/g, instead: time, except: timeHome },
  { pattern: /\bconsole\./g, instead: "use logger() (#/std/log/log.ts)", except: /^$/ },
  {
    pattern: /\bprocess\.exit\(/g,
    instead: "return an exit code to bin, or abort a signal",
    except: /^(bin\/|src\/std\/process\/shutdown\.ts$)/,
  },
  {
    pattern: /\bMath\.random\b/g,
    instead: "take a Random (#/std/base/random.ts)",
    except: /^(src\/std\/base\/random\.ts$|bench\/)/,
  },
  {
    // A client may send a target that is no URL, and one that throws where no response is open is never answered.
    pattern: /\brequest\.url\b|\{[^{}()]*\burl\b[^{}()]*\}: IncomingMessage\b/g,
    instead: "use requestUrl() (#/std/net/request-url.ts)",
    except:
      /^(?!src\/)|\.test\.ts$|^src\/(testing\/|cloud\/|std\/net\/|kubelet\/probes\/|apiserver\/http\/node-exchange\.ts$|kubectl\/commands\/proxy\.ts$)/,
  },
  {
    // Clients decide how long these lists are, and a call has room for some 100,000 arguments.
    pattern: /\.push\(\.\.\./g,
    instead: "use append() (#/std/base/append.ts)",
    except: /^(?!src\/(apiserver(?!\/flags)|machinery)\/)|\.test\.ts$/,
  },
];

/** Tests of real processes, which must wait for real time. */
const realTimeTests = /^(test\/|tools\/|bench\/|.*(integration|faults)\.test\.ts$)/;

/** Calls that are allowed in one module each, so that time, randomness and output can be injected. */
export function checkBannedCalls(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => [...callFindings(file), ...timerImportFindings(file)]);
}

function callFindings({ path, text }: SourceFile): Finding[] {
  const code = blankLiterals(text);
  return bans
    .filter(({ except }) => !except.test(path))
    .flatMap(({ pattern, instead }) =>
      [...code.matchAll(pattern)].map((match) => ({
        path,
        line: lineAt(text, match.index),
        message: `${match[0].replace(/\($/, "()")} is not for here: ${instead}`,
      })),
    );
}

function timerImportFindings(file: SourceFile): Finding[] {
  const { path } = file;
  if (realTimeTests.test(path) || timeHome.test(path)) return [];
  return importsOf(file)
    .filter(({ specifier }) => /^(node:)?timers\b/.test(specifier))
    .map(({ specifier, line }) => {
      const message = `${specifier} is only for integration and faults tests: ${time}`;
      return { path, line, message };
    });
}
