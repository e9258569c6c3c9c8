/** libtacho as WebAssembly. The fields of results are described in doc/JSON.md of tacho's source. */

/** Machine code: hexadecimal digits, or bytes. Text is assembly. */
export type Code = { hex: string } | { assembly: string; syntax?: "auto" | "intel" | "att" } | Uint8Array | ArrayBuffer | string;

export type Register = "rax" | "rcx" | "rdx" | "rbx" | "rsp" | "rbp" | "rsi" | "rdi" | "r8" | "r9" | "r10" | "r11" | "r12" | "r13" | "r14" | "r15";

export interface StateOptions {
  /** Of assembly text. */
  syntax?: "auto" | "intel" | "att";
  /** How results call the code. */
  input?: string;
  /** Registers before the first iteration. */
  init?: "distinct" | "aligned" | "same";
  /** Known values; as text where they are too large for a number. */
  registers?: Partial<Record<Register, number | string>>;
  /** Pointers known by others: `{ rsi: ["rdi", 8] }`. */
  aliases?: Partial<Record<Register, Register | [Register, number]>>;
  no_alias?: boolean;
}

export interface PredictOptions extends StateOptions {
  mode?: "auto" | "loop" | "unroll";
  /** Of the first byte from a 64-byte boundary, 0 to 63. */
  alignment?: number;
  min_cycles?: number;
  min_iterations?: number;
  /** Also say how long so many iterations take from an empty pipeline on. */
  iterations?: number;
  no_memory_deps?: boolean;
  advance?: boolean;
  ignore_isa?: boolean;
  /** Instructions without figures; a number: cycles that each is to take. */
  unknown?: "warn" | "skip" | "error" | number;
  variants?: string[];
  /** Other parameters of the core. */
  set?: Record<string, number | boolean | string>;
  trace_iterations?: number;
}

export interface DepsOptions extends StateOptions {
  window?: number;
  seeds?: number;
}

export interface Instruction {
  asm: string;
  source: { line: number; text: string | null; comment: string | null } | null;
  hex: string;
  offset: number;
  form?: string | null;
  figures: string | null;
  uops: { mite: number | null; ms: number | null; dsb: number | null; lsd: number | null; issued: number | null; executed: number | null };
  ports: Record<string, number | null>;
  latency: number | null;
  reciprocal_throughput: number | null;
  critical_latency: number | null;
  notes: string[];
  missing_extension: string | null;
  blocked_by: number | null;
  aliased_by: number | null;
}

export interface WhatIf {
  what: string;
  also: string | null;
  ports: number[] | null;
  instruction: number | null;
  cycles: number | null;
  cycles_exact: string | null;
  gain: number | null;
  text: string;
}

export interface Advice {
  kind: string;
  instructions: number[];
  cycles_before: number | null;
  cycles_after: number | null;
  cycles_after_exact: string | null;
  text: string;
}

/** tacho-predict-1 */
export interface Prediction {
  schema: string;
  input: string;
  arch: string;
  bytes: number;
  cycles: number;
  cycles_exact: string | null;
  period_iterations: number | null;
  lower_bound: boolean;
  unknown: number;
  missing: string | null;
  bounds_only: boolean;
  mode: "loop" | "unroll";
  source: "MITE" | "DSB" | "LSD" | "mixed";
  compared_with: string | null;
  /** only of a model from a text */
  from_file?: true;
  bottlenecks: string[];
  next_limit: { bound: string; cycles: number } | null;
  bounds: Record<string, number | null>;
  bounds_in_use: string[];
  ipc: number | null;
  uops_per_cycle: number | null;
  run: { iterations: number; cycles: number } | null;
  topdown: {
    retiring: number; frontend: number; backend_core: number; backend_dependencies: number;
    lost: Record<string, number>; lost_to_ports: Record<string, number>;
  } | null;
  critical_cycle: {
    instructions: number[]; through: string[]; iterations: number | null;
    steps: { instruction: number; latency: number | null; hands_on: string[]; next_iteration: boolean }[];
  } | null;
  what_if: WhatIf[] | null;
  advice: Advice[] | null;
  instructions: Instruction[];
  warnings: string[];
  [field: string]: unknown;
}

/** tacho-trace-1 */
export interface Trace {
  schema: string;
  arch: string;
  cycles: number | null;
  iterations: number;
  instructions: string[];
  sizes: Record<string, number>;
  cycle: Record<string, number[]>;
  uops: Record<string, unknown>[];
  [field: string]: unknown;
}

export interface Page {
  trace: Trace;
  report: Prediction & { graph: Record<string, unknown>[] };
}

/** tacho-arch-1 */
export interface Arch {
  arch: string;
  name: string;
  aliases: string[];
  table: string;
  compared_with: string | null;
  /** only of a model from a text */
  from_file?: true;
  parameters?: Record<string, { value: unknown; set: string; unit: string | null; source: string | null }>;
  extensions?: Record<string, string>;
}

export interface Assembly {
  syntax: "intel" | "att";
  hex: string;
  /** Lines and columns from 1; `length` of the text, `bytes` of the code. */
  statements: { kind: "instruction" | "label" | "data" | "align"; line: number; column: number; length: number; offset: number; bytes: number }[];
}

export class TachoError extends Error {
  code: "input" | "usage" | "memory" | "limit" | "unsupported" | "system";
  /** Of the byte in the code that is meant. */
  offset?: number;
  /** Of the text, from 1. */
  line?: number;
  /** Of assembly text: all that is wrong with it. */
  problems?: { line: number; column: number; length: number; message: string }[];
}

/** Where `arch` is asked for: a core's name, or the text of a model (several lines). */
export class Tacho {
  private constructor();
  readonly version: string;
  predict(code: Code, arch: string, options?: PredictOptions): Prediction;
  bounds(code: Code, arch: string, options?: PredictOptions): Prediction;
  explain(code: Code, arch: string, options?: PredictOptions): Prediction;
  trace(code: Code, arch: string, options?: PredictOptions): Trace;
  page(code: Code, arch: string, options?: PredictOptions): Page;
  deps(code: Code, options?: DepsOptions): Record<string, unknown>;
  assemble(text: string, options?: { syntax?: "auto" | "intel" | "att" }): Assembly;
  insn(form: string, arch: string): Record<string, unknown>[];
  arch(arch: string): Arch;
  archs(): Arch[];
  /** What people read for the names of bounds, slots and notes. */
  words(): Record<"bounds" | "slots" | "notes", Record<string, string>>;
  /** A request as JSON text, and the answer to it. */
  ask(request: string): string;
}

/** @param source where the module is; default: tacho.wasm beside this file */
export function load(source?: URL | string | ArrayBuffer | Uint8Array | Response | WebAssembly.Module): Promise<Tacho>;
