Every block once, whatever its hex looks like; applications united, counts summed, the first address kept.

  $ printf 'hex,apps,count,x\n4801d8,a;b,3,\n48 01 D8,b+c+g++,4,"y,z"\n90,,,\n' > $TMP/a.csv
  $ printf 'hex,address,app\n90,0x10,libstdc++6\n4801d8,0x20,a\n90,0x30,\n' > $TMP/b.csv
  $ tacho suite dedup $TMP/a.csv $TMP/b.csv
  hex,app,count,x,address
  4801d8,a;b;c;g++,7,"y,z",0x20
  90,libstdc++6,,,0x10
  6 rows, 2 different blocks
  $ tacho suite dedup $TMP/a.csv $TMP/b.csv -o $TMP/c.csv; tacho suite dedup < $TMP/c.csv | cmp - $TMP/c.csv
  6 rows, 2 different blocks
  2 rows, 2 different blocks
  $ tacho suite dedup --output=$TMP/c.csv $TMP/c.csv -- $TMP/c.csv; cut -d , -f 1-3 $TMP/c.csv
  4 rows, 2 different blocks
  hex,app,count
  4801d8,a;b;c;g++,14
  90,libstdc++6,
  $ printf 'hex,count\n90,18446744073709551615\n90,1\n' | tacho suite dedup -
  hex,count
  90,18446744073709551615
  2 rows, 1 different blocks
  $ printf 'hex,count\n90,1\n90,many\n' | tacho suite dedup
  tacho: standard input: line 3: the count is a whole number, not 'many'
  [1]
  $ printf '90\n9090\n90\n' | tacho suite dedup
  hex
  90
  9090
  3 rows, 2 different blocks
  $ printf '90,gzip\n' | tacho suite dedup
  tacho: standard input: line 1: field 2 belongs to no column; the first line of a suite names its columns, hex first: hex,app,address,count
  [1]
  $ printf 'app,hex\ngzip,90\n' | tacho suite dedup
  tacho: standard input: line 1: field 2 belongs to no column; the first line of a suite names its columns, hex first: hex,app,address,count
  [1]
  $ printf 'hex,app,apps\n' | tacho suite dedup
  tacho: standard input: two columns are called 'app' (or 'apps')
  [1]
  $ printf 'hex,app\nzz,a\n,b\n90,c\n9,d\n' | tacho suite dedup
  tacho: standard input: line 2: 'z' at offset 0 is not a hexadecimal digit; the row is left out
  tacho: standard input: line 3: the block is empty; the row is left out
  tacho: standard input: line 5: a digit without its second half at offset 1; each byte is two digits; the row is left out
  hex,app
  90,c
  1 rows, 1 different blocks
  tacho: 3 of 4 rows were left out: their code is not hexadecimal, or none
  [3]
  $ printf 'hex,app\n' | tacho suite dedup
  hex,app
  0 rows, 0 different blocks
  $ printf '' | tacho suite dedup
  tacho: standard input: there is nothing in it
  [1]
  $ tacho suite dedup /nonexistent.csv
  tacho: /nonexistent.csv: cannot be read: No such file or directory
  [1]
  $ tacho suite dedup $TMP/a.csv -o /nonexistent/b.csv
  tacho: /nonexistent/b.csv: cannot be written: No such file or directory
  [1]
  $ tacho suite dedup $TMP/a.csv > /dev/full
  tacho: cannot write to standard output: No space left on device
  [1]
  $ tacho suite dedup --outptu x
  tacho: unknown option '--outptu'; did you mean --output?
  [2]
  $ tacho suite dedpu
  tacho: unknown command 'suite dedpu'; did you mean dedup?
  [2]
