Categories of a small suite: loads, stores, arithmetic, and rows without a category.

  $ { echo hex,apps,count,category; for i in 1 2 3 4; do printf '488b03488b4108488b5210488b4918,a;b,%s,old\n4889034889410848895210488979%s0,b,,\n4801d84829d84821d84809c8,a,1%s,\n' $i $i $i; done; echo 31c090,a,7,; echo 06,a,1,; echo zz,a,1,; } > $TMP/blocks.csv
  $ cd $TMP && tacho suite cluster -k 3 blocks.csv -o out.csv
  tacho: blocks.csv: line 16: 'z' at offset 0 is not a hexadecimal digit; the row is left out
  tacho: 1 of 15 rows were left out: their code is not hexadecimal, or none
  tacho: 2 of 14 blocks have no category: no µop needs a port (1), or undecodable (1)
  blocks.csv: 12 blocks in 3 categories by the ports of their µops on HSW
  perplexity 2.7507 (2.1907 without the topics' own part) of 12 words; 10 passes from the best of 10 starts, seed 1
  1 block has no category: no µop of it needs a port
  1 block has no category: it cannot be decoded
  
  category  blocks  % of blocks  % loads  % stores  % scalar  % vector  µops of its topic
  Scalar         4         33.3      0.0       0.0     100.0       0.0  p0156 95 %
  Ld             4         33.3    100.0       0.0       0.0       0.0  p23 95 %
  St             4         33.3      0.0     100.0       0.0       0.0  p4 49 %, p237 49 %
  
  category  description
  Scalar    mostly scalar arithmetic and control
  Ld        mostly loads
  St        mostly stores
  
  Categories by application, % of count
  application  blocks  Scalar     Ld   St
  a                 8    83.3   16.7  0.0
  b                 8     0.0  100.0  0.0
  all              12    83.3   16.7  0.0
  [3]
  $ cat $TMP/out.csv
  hex,app,count,category,category_note
  488b03488b4108488b5210488b4918,a;b,1,Ld,
  488903488941084889521048897910,b,,St,
  4801d84829d84821d84809c8,a,11,Scalar,
  488b03488b4108488b5210488b4918,a;b,2,Ld,
  488903488941084889521048897920,b,,St,
  4801d84829d84821d84809c8,a,12,Scalar,
  488b03488b4108488b5210488b4918,a;b,3,Ld,
  488903488941084889521048897930,b,,St,
  4801d84829d84821d84809c8,a,13,Scalar,
  488b03488b4108488b5210488b4918,a;b,4,Ld,
  488903488941084889521048897940,b,,St,
  4801d84829d84821d84809c8,a,14,Scalar,
  31c090,a,7,,no µop needs a port
  06,a,1,,not a valid instruction in 64-bit mode

The suite on standard output, the table on standard error; the same with any number of threads, and from a pipe.

  $ tacho suite cluster -k 3 --batch $TMP/blocks.csv -j 1 2>/dev/null | cmp - $TMP/out.csv
  $ tacho suite cluster -k 3 -j 4 - < $TMP/blocks.csv 2>/dev/null | cmp - $TMP/out.csv

The table in other forms.

  $ tacho suite cluster -k 3 $TMP/blocks.csv -o $TMP/again.csv -f csv 2>/dev/null
  app,category,blocks,share,load,store,scalar,vector,words,description
  ,Scalar,4,0.333333,0,0,1,0,p0156 95 %,mostly scalar arithmetic and control
  ,Ld,4,0.333333,1,0,0,0,p23 95 %,mostly loads
  ,St,4,0.333333,0,1,0,0,"p4 49 %, p237 49 %",mostly stores
  a,Scalar,,0.833333,,,,,,
  a,Ld,,0.166667,,,,,,
  a,St,,0,,,,,,
  b,Scalar,,0,,,,,,
  b,Ld,,1,,,,,,
  b,St,,0,,,,,,
  [3]
  $ cmp $TMP/again.csv $TMP/out.csv
  $ tacho suite cluster -k 1 examples/blocks.csv -o $TMP/other.csv --json
  {
    "schema": "tacho-categories-1",
    "suite": "blocks.csv",
    "arch": "HSW",
    "rows": 3,
    "topics": 1,
    "without_words": 0,
    "undecodable": 0,
    "partly_known": 0,
    "uops": 36.0,
    "perplexity": 8.83898418499,
    "perplexity_blocks": 5.98891442814,
    "words": 12,
    "starts": 10,
    "passes": 9,
    "seed": "1",
    "model_blocks": 3,
    "weight": null,
    "application_weight": null,
    "categories": [
      {
        "name": "Scalar",
        "description": "mostly scalar arithmetic and control",
        "blocks": 3,
        "share": 1.0,
        "weight": 3.0,
        "weight_share": 1.0,
        "load": 0.0,
        "store": 0.0,
        "scalar": 1.0,
        "vector": 0.0,
        "words": [
          {
            "ports": "p06",
            "share": 0.327083333333
          },
          {
            "ports": "p015",
            "share": 0.21875
          },
          {
            "ports": "p0156",
            "share": 0.191666666667
          },
          {
            "ports": "p1",
            "share": 0.0833333333333
          },
          {
            "ports": "p5",
            "share": 0.0833333333333
          },
          {
            "ports": "p0",
            "share": 0.05625
          }
        ]
      }
    ],
    "applications": [],
    "all": {
      "name": "all",
      "blocks": 3,
      "shares": {
        "Scalar": 1.0
      }
    }
  }
  $ cat $TMP/other.csv
  hex,name,category,category_note
  4801d84801c349ffcf75f5,chain,Scalar,
  4889c3,move,Scalar,
  48f7f1,division,Scalar,
  $ tacho suite cluster -k 3 --weight count $TMP/blocks.csv -o $TMP/w.csv 2>/dev/null | sed -n '/^category/,/^$/p'
  category  blocks  % of blocks  % of weight  % loads  % stores  % scalar  % vector  topic
  Scalar         4         33.3         83.3      0.0       0.0     100.0       0.0  p0156 100 %
  Ld             4         33.3         16.7    100.0       0.0       0.0       0.0  p23 98 %
  Empty          4         33.3          0.0                                         p0156 76 %
  
  category  description
  Scalar    mostly scalar arithmetic and control
  Ld        mostly loads
  Empty     no block with weight is in it
  
  $ printf 'hex,app,count\n4801d8,a,\n488b03,a,\n' | tacho suite cluster -k 2 -o $TMP/none.csv | sed -n '/application/,$p'
  Categories by application, % of blocks
  application  blocks  Scalar    Ld
  a                 2    50.0  50.0
  all               2    50.0  50.0

What is wrong is said.

  $ tacho suite cluster --json examples/blocks.csv
  tacho: --format: standard output has the suite; give it another place with -o FILE
  [2]
  $ tacho suite cluster --topics 65 examples/blocks.csv
  tacho: --topics is a whole number from 1 to 64, not '65'
  [2]
  $ tacho suite cluster --alpha 0 examples/blocks.csv
  tacho: --alpha is a number from 0.0001 to 1000, not '0'
  [2]
  $ tacho suite cluster -a all examples/blocks.csv
  tacho: -a: categories are of one microarchitecture
  [2]
  $ tacho suite cluster --weight count examples/blocks.csv
  tacho: examples/blocks.csv: --weight: there is no column 'count'
  [1]
  $ tacho suite cluster --batch examples/blocks.csv examples/blocks.csv
  tacho: --batch FILE is the same as FILE: give one of them
  [2]
  $ printf 'hex,count\n90,1\n' | tacho suite cluster -
  tacho: standard input: no block has a µop on a port, and weight
  [1]
  $ printf 'hex,count\n4801d8,x\n' | tacho suite cluster --weight count
  tacho: standard input: line 2: count is a number from 0 to 1e+30, not 'x'
  [1]
  $ printf 'hex,w\n4801d8,1e308\n4889c3,1e308\n' | tacho suite cluster --weight w
  tacho: standard input: line 2: w is a number from 0 to 1e+30, not '1e308'
  [1]
  $ printf 'hex,w\n4801d8,1e30\n4889c3,1e30\n' | tacho suite cluster -k 1 --weight w -o $TMP/w.csv --json | grep -e '"uops"' -e '"perplexity'
    "uops": 2e30,
    "perplexity": 1.0,
    "perplexity_blocks": 1.0,
  $ printf 'hex,count\n4801d8,-1\n' | tacho suite cluster
  tacho: standard input: line 2: the count is a whole number, not '-1'
  [1]
  $ printf '' | tacho suite cluster
  tacho: standard input: there is nothing in it
  [1]
  $ for c in 'classify m.json' 'perplexity -k 2' 'cluster --model m.json' 'cluster --plot c.svg'; do tacho suite $c examples/blocks.csv; done
  tacho: 'tacho suite classify' is no more: 'tacho suite cluster' of all suites together gives their blocks the same categories
  tacho: 'tacho suite perplexity' is no more: 'tacho suite cluster' says how well its categories fit
  tacho: 'tacho suite cluster --model' is no more: its categories are in the suite that it writes
  tacho: 'tacho suite cluster --plot' is no more: --format csv has each application's shares, for any program that draws
  [2]
