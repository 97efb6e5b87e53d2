# The first process of every sandbox. It starts the interpreter, which waits; takes one run from standard
# input; gives the code to the interpreter; and, when that has ended, says how, and hands back the files.
#
# In:   "seconds files artifact-bytes task-limit code-bytes nonce\n", then per file "name-bytes bytes\n" name content, then the code.
# Out:  "\0ready KERNEL\n" once; what the program writes, untouched; then "\0NONCE " and the last word.
# The program never holds the nonce and never reads this process's input, so it cannot speak for it.

# --- the interpreter, before there is any code -------------------------------------------------------

sub start_interpreter {
    $^F = 3;
    pipe my $ready_read, my $ready_write or leave(1);
    pipe my $code_read,  my $code_write  or leave(1);
    $child = fork // leave(1);
    if ( !$child ) {
        setpgrp 0, 0;
        delete $ENV{HOSTNAME};
        my @ends = map { fileno $_ } $ready_write, $code_read;
        my $high = POSIX::dup2( $ends[0], 60 );
        POSIX::dup2( $ends[1], 0 );
        POSIX::dup2( $high,    3 );
        POSIX::close($_) for 4 .. 60;
        chdir $workspace;
        exec {$ARGV[0]} @ARGV or leave(127);
    }
    close $_ for $ready_write, $code_read;
    sysread $ready_read, my $word, 1;
    leave(126) if !$word;
    close $ready_read;
    return $code_write;
}

# --- one sandbox, one run ------------------------------------------------------------------------------

binmode $_ for \*STDIN, \*STDOUT, \*STDERR;
my $to_child = start_interpreter();
say_bytes( \*STDOUT, "\0ready " . ( POSIX::uname() )[2] . "\n" );
my ( $seconds, $files, $room, $most_tasks, $size, $nonce ) = split ' ', line();
put_files($files);
my $code = take($size);
watch_signals();
give( $to_child, $code );
my ( $status, $late ) = await($seconds);
my $crowded = $status && tasks() >= $most_tasks - 2 ? 1 : 0;
end_everything();
my $packed = $status && ( full($workspace) || full('/tmp') ) ? 1 : 0;
say_bytes( \*STDERR, "\0$nonce\n" );
say_bytes( \*STDOUT, sprintf "\0%s %d %d %d %d %d\n", $nonce, $status >> 8, $status & 127, $late, $crowded, $packed );
send_files($room);
alarm 10;
$SIG{ALRM} = sub { leave(0) };
sysread STDIN, my $end, 1;
leave( $status & 127 ? 128 + ( $status & 127 ) : $status >> 8 );
