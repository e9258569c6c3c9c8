/** libtacho as WebAssembly. The fields of results are described in doc/JSON.md of tacho's source. */

/** Machine code: hexadecimal digits, or bytes. Text is assembly. */
export type Code = { hex: string } | { assembly: string; syntax?: "auto" | "intel" | "att" } | Uint8Array | ArrayBuffer | string;

export type Register = "rax" | "rcx" | "rdx" | "rbx" | "rsp" | "rbp" | "rsi" | "rdi" | "r8" | "r9" | "r10" | "r11" | "r12" | "r13" | "r14" | "r15";

export type Variant = "simple_front_end" | "simple_port_assignment" | "no_micro_fusion" | "no_macro_fusion" | "no_lsd_unrolling" | "no_move_elimination" | "full_move_elimination" | "simple_memory";

export interface StateOptions {
  /** Of assembly text. */
  syntax?: "auto" | "intel" | "att";
  /** Of assembly text with several loops or regions: which, from 1, as `parts` lists them. Default: the first, with a warning. */
  part?: number;
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
  /** That an iteration works on, where known better than found. */
  elements?: number;
  ignore_isa?: boolean;
  /** Instructions without figures; a number: cycles that each is to take. */
  unknown?: "warn" | "skip" | "error" | number;
  variants?: Variant[];
  /** Other parameters of the core. */
  set?: Record<string, number | boolean | string>;
  trace_iterations?: number;
  /** Where the data of the loop's streams lie: "L2", "L3", "memory", or their size, "512K". */
  data?: string;
  /** With `data`, whose memory: the core of a machine that `memories` lists, or the text that `tacho doctor --memory -o FILE`
   * writes. Default: that of the predicted core. */
  memory?: string;
}

export interface DepsOptions extends StateOptions {
  window?: number;
  seeds?: number;
}

/** The text of an instruction as typed; null where a macro's argument stands in it. */
export type Typed = { line: number; text: string | null; comment: string | null };

/** By the number of a port: `ports[0]`. */
export type Ports = { [port: number]: number | null };

export type Bound = "predecode" | "decode" | "dsb" | "lsd" | "issue" | "ports" | "divider" | "dependencies" | "start_intervals" | "port_conflicts";

export type SlotReason = "predecode" | "decode" | "ms" | "dsb" | "lsd" | "rename" | "ports" | "divider" | "start_intervals" | "rob" | "scheduler" | "dependencies";

export interface Instruction {
  asm: string;
  source: Typed | null;
  hex: string;
  offset: number;
  form: string | null;
  figures: string | null;
  uops: { mite: number | null; ms: number | null; dsb: number | null; lsd: number | null; issued: number | null; executed: number | null };
  ports: Ports;
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
  region: string | null;
  line: number | null;
  address: number;
  arch: string;
  vendor: "Intel" | "AMD";
  bytes: number;
  cycles: number;
  cycles_exact: string | null;
  period_iterations: number | null;
  simulated_cycles: number;
  simulated_iterations: number;
  lower_bound: boolean;
  unknown: number;
  missing: string | null;
  bounds_only: boolean;
  mode: "loop" | "unroll";
  source: "MITE" | "DSB" | "LSD" | "mixed";
  compared_with: string | null;
  /** only of a model from a text */
  from_file?: true;
  parameters_changed: Record<string, { value: ParameterValue; model: ParameterValue }>;
  variants: Variant[];
  bottlenecks: Bound[];
  next_limit: { bound: Bound; cycles: number } | null;
  bounds: Record<Bound, number | null>;
  bounds_in_use: Bound[];
  ipc: number | null;
  uops_per_cycle: number | null;
  run: { iterations: number; cycles: number } | null;
  /** How much data an iteration works on; `cycles` are those of an element. */
  elements: {
    count: number | null; cycles: number | null; smallest_bytes: number | null; largest_bytes: number | null;
    stream_bytes: number | null; cycles_per_byte: number | null;
  } | null;
  topdown: {
    retiring: number | null; frontend: number | null; backend_core: number | null; backend_dependencies: number | null;
    lost: Record<SlotReason, number | null>; lost_to_ports: Ports;
  } | null;
  critical_cycle: {
    instructions: number[]; through: string[]; iterations: number | null;
    steps: { instruction: number; latency: number | null; hands_on: string[]; next_iteration: boolean }[];
  } | null;
  what_if: WhatIf[] | null;
  advice: Advice[] | null;
  unknown_instructions: number;
  skipped_instructions: number;
  advance_bytes: number | null;
  unexecutable_instructions: number;
  derived_instructions: number;
  instructions: Instruction[];
  busiest_ports: { ports: number[]; instructions: number[]; text: string } | null;
  warnings: string[];
  error: string | null;
  /** With the option `data`. */
  data?: DataPrediction;
}

/** What an iteration takes with the loop's data in each level of a machine's memory. */
export interface DataPrediction {
  machine: string;
  level: string;
  cycles: number | null;
  core_cycles: number | null;
  exposed_cycles: number | null;
  levels: {
    name: string; cycles: number | null; limit: "core" | "transfer" | "latency"; lines_read: number | null; lines_written: number | null;
    transfer_cycles: number | null; latency_cycles: number | null;
  }[];
  streams: { insn: number; step: number; lines: number | null; behind: number | null; read: boolean; write: boolean }[];
  scattered_loads: number;
  scattered_stores: number;
  bytes: number | null;
}

/** What a µop needs of another one. */
export interface Producer {
  producer: number;
  instruction: number;
  iteration: number;
  carrier: "register" | "flags" | "memory" | "internal" | "order";
  register: string | null;
  through: number | null;
  ready: number | null;
  latency: number | null;
}

/** Times are cycles from 0; null: it did not happen. */
export interface Uop {
  number: number;
  instruction: number;
  iteration: number;
  uop: number;
  slot: number;
  kind: "compute" | "load" | "store-address" | "store-data" | "stack-sync" | "high8-merge" | "eliminated" | "zero-idiom" | "nop" | "renamed" | "unknown";
  source: "MITE" | "MS" | "DSB" | "LSD" | "renamer";
  ports: number[];
  port: number | null;
  predecoded: number | null;
  queued: number | null;
  issued: number | null;
  ready: number | null;
  dispatched: number | null;
  executed: number | null;
  retired: number | null;
  waited_for: number | null;
  producers: Producer[];
}

/** tacho-trace-1 */
export interface Trace {
  schema: string;
  input: string;
  region: string | null;
  arch: string;
  vendor: "Intel" | "AMD";
  mode: "loop" | "unroll";
  cycles: number | null;
  cycles_exact: string | null;
  unknown: number;
  lower_bound: boolean;
  missing: string | null;
  averaged_from: number;
  averaged_to: number;
  iterations: number;
  instructions: string[];
  sizes: Record<"iq" | "idq" | "rob" | "scheduler" | "ports", number>;
  /** An entry for each cycle. */
  cycle: Record<"iq" | "idq" | "rob" | "scheduler" | "issued" | "retired" | "iterations", number[]>;
  uops: Uop[];
}

export interface Page {
  trace: Trace;
  report: Prediction & {
    graph: { from: number; to: number; distance: number; carrier: string; name: string; latency: number; critical: boolean }[];
  };
}

/** tacho-deps-1 */
export interface Deps {
  schema: string;
  input: string;
  region: string | null;
  iterations: number;
  accesses: number;
  unknown_addresses: number;
  instructions: { asm: string; source: Typed | null; hex: string; address_unknown: boolean }[];
  /** `bytes` and what follows: of memory alone. */
  dependencies: {
    source: number; target: number; distance: number; kind: "register" | "flags" | "memory"; carrier: string; share: number | null;
    bytes?: number; load_bytes?: number; store_bytes?: number; offset?: number; forwards?: boolean;
  }[];
}

export interface Cost {
  uops: number;
  retire_slots: number;
  uops_mite: number;
  uops_ms: number;
  complex_decoder: boolean;
  ports: { uops: number; ports: number[] }[];
  div_cycles: number | null;
  tp_cycles: number | null;
  latency: number | null;
  reciprocal_throughput: number | null;
}

/** tacho-insn-1: a form of an instruction. Where the core does not have it, `cost` is null and the last one. */
export type InstructionForm = { schema: string; form: string; arch: string } & ({ cost: null } | {
  cost: Cost;
  cost_indexed: Cost | null;
  cost_same_register: Cost | null;
  latencies: {
    source: number; source_name: string; target: number; target_name: string; cycles: number | null; address: number | null;
    address_index: number | null; memory: number | null; same_register: number | null;
  }[];
  source: string;
  derived: boolean;
});

export type ParameterValue = number | boolean | string | number[] | null;

/** tacho-arch-1 */
export interface Arch {
  schema: string;
  arch: string;
  name: string;
  aliases: string[];
  table: string;
  compared_with: string | null;
  /** only of a model from a text */
  from_file?: true;
  parameters?: Record<string, { value: ParameterValue; set: string; unit: string | null; source: string | null }>;
  extensions?: Record<string, string>;
}

/** What somebody who pastes the text may mean: its regions between markers, else its innermost loops, else all. */
export interface Part {
  kind: "marked" | "loop" | "all" | "straight";
  /** Of the marker, or of the label before it; "": none. */
  name: string;
  /** Of its instructions, from 1; 0: it has none. */
  line_first: number;
  line_last: number;
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
  /** Nothing is simulated: a lower limit, without µops and ports of instructions. */
  bounds(code: Code, arch: string, options?: PredictOptions): Prediction;
  explain(code: Code, arch: string, options?: PredictOptions): Prediction;
  trace(code: Code, arch: string, options?: PredictOptions): Trace;
  page(code: Code, arch: string, options?: PredictOptions): Page;
  deps(code: Code, options?: DepsOptions): Deps;
  assemble(text: string, options?: { syntax?: "auto" | "intel" | "att" }): Assembly;
  insn(form: string, arch: string): InstructionForm[];
  /** Those with figures whose name has each word: how many there are, and the first 100. */
  forms(search: string, arch: string): { count: number; forms: InstructionForm[] };
  /** What of the text the option `part` chooses from; without it the first is taken. */
  parts(text: string, options?: { syntax?: "auto" | "intel" | "att" }): Part[];
  arch(arch: string): Arch;
  archs(): Arch[];
  /** Machines whose memory is known, by the name of their core. */
  memories(): { core: string; processor: string }[];
  /** What people read for the names of bounds, slots and notes. */
  words(): { bounds: Record<Bound, string>; slots: Record<SlotReason, string>; notes: Record<string, string>; own: Record<string, Record<string, string>> };
  /** A request as JSON text, and the answer to it. */
  ask(request: string): string;
}

/** @param source where the module is; default: tacho.wasm beside this file */
export function load(source?: URL | string | ArrayBuffer | Uint8Array | Response | WebAssembly.Module): Promise<Tacho>;
