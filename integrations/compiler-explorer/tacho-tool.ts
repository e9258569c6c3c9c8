// Compiler Explorer's side of tacho: goes into lib/tooling/, see README.md in this folder.
//
// The assembly that the compiler wrote is given to tacho as the user sees it, with the filters of the assembly
// pane: labels and line numbers in tacho's answer are then those of the page.

import fs from 'node:fs/promises';

import type {CompilationInfo} from '../../types/compilation/compilation.interfaces.js';
import type {ToolResult} from '../../types/tool.interfaces.js';
import {normalizeAsmToString} from '../utils.js';
import {BaseTool} from './base-tool.js';

const CORE_OPTIONS = /^-(?:march|mtune|mcpu)=(.+)$/;

export class TachoTool extends BaseTool {
    static get key() {
        return 'tacho-tool';
    }

    // What tacho is asked: the core is the one that the compiler was told to compile for, unless the tool's own
    // arguments name another one, which come last.
    private argumentsFor(options: string[], own: string[]) {
        const core = options.map(option => CORE_OPTIONS.exec(option)?.[1]).findLast(name => name);
        return ['predict', '--explorer', ...(core ? ['--compiled-for', core] : []), ...own];
    }

    override async runTool(
        compilation: CompilationInfo,
        _inputFilepath?: string,
        args: string[] = [],
    ): Promise<ToolResult> {
        if (compilation.filters.binary || compilation.filters.binaryObject)
            return this.createErrorResponse('tacho reads assembly: switch off "Compile to binary" and "Link to binary"');
        if (compilation.compiler.instructionSet && compilation.compiler.instructionSet !== 'amd64')
            return this.createErrorResponse(`tacho reads x86-64 code, not ${compilation.compiler.instructionSet}`);
        if (!compilation.asm) return this.createErrorResponse('tacho: the compiler has written no assembly');
        const shown = compilation.asmParser.process(normalizeAsmToString(compilation.asm), compilation.filters);
        const path = `${compilation.outputFilename}.tacho.s`;
        await fs.writeFile(path, shown.asm.map(line => `${line.text}\n`).join(''));
        return super.runTool(compilation, path, this.argumentsFor(compilation.options, args));
    }
}
