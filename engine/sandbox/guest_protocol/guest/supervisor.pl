# The first process of every sandbox. It has started the interpreter, which waits; it takes one run from standard
# input; gives the code to the interpreter; and, when that has ended, says how, and hands back the files.
#
# In:   "seconds files artifact-bytes task-limit code-bytes nonce\n", then per file "name-bytes bytes\n" name content, then the code.
# Out:  "\0ready KERNEL\n" once; what the program writes, untouched; then "\0NONCE " and the last word.
# The program never holds the nonce, and can neither read this process's input nor write to its output, so it cannot
# speak for it. Where packages are mounted the interpreter is started once the whole order was read: it loads them.

# --- one sandbox, one run ------------------------------------------------------------------------------

binmode $_ for \*STDIN, \*STDOUT, \*STDERR;
watch_signals();
greet();
my ( $seconds, $files, $room, $most_tasks, $size, $nonce ) = split ' ', line();
put_files($files);
my $text = take($size);
start_program() if !$child;
Rehearsal::interpreter_starts( $late, $from_child ) if $rehearsing;
$text = $sleeps . $text if $rehearsing && $ARGV[-1] =~ /\.sh$/;
give( $to_child, $text );
my ( $status, $late ) = await( $seconds, $nonce );
my $crowded = $status && tasks() >= $most_tasks - 2 ? 1 : 0;
Rehearsal::finish() if $rehearsing;
end_everything();
drain();
my $packed = $status && ( full($workspace) || full('/tmp') ) ? 1 : 0;
say_bytes( \*STDERR, "\0$nonce\n" );
say_bytes( \*STDOUT, sprintf "\0%s %d %d %d %d %d\n", $nonce, $status >> 8, $status & 127, $late, $crowded, $packed );
send_lines();
send_files($room);
alarm 10;
$SIG{ALRM} = sub { leave(0) };
sysread STDIN, my $end, 1;
leave( $status & 127 ? 128 + ( $status & 127 ) : $status >> 8 );
